
BprobabilityJ(‰‚5u8?£Ã7M!Å8ö…š9M!Å8¶!67]U: ø99*IÉ: