
BprobabilityJ(PŸe7¾
¨7°h8É<µ)2¿—9ôY2Þóõ7; 8›y?