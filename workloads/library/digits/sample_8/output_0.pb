
BlogitsJ
жсрщбБЦ