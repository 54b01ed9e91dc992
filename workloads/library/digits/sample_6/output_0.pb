
BlogitsJ
д≈л“!џ<тыґ