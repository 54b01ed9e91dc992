
BprobabilityJ(
tÙ50|5ë×?|œÅ8ş½ş8›èH43tª6Kß¯9÷wQ8Û$M6