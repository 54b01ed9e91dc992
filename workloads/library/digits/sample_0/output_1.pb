
BprobabilityJ(ü¸?0]/¨…}2?Œ>/H’3 í5ï"8(=6vi6F€€6