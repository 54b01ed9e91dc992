
BprobabilityJ(QÃ7|—½4æm8C(8j«Å8ugô4?”59ë?æm8É‡Q8