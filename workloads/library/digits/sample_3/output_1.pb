
BprobabilityJ(r™K6Th3qŠs;Åê}?r™K6üf‡9:äO8D!8	ì<; X›: