
BlogitsJ
าส;๒๔มÛüํื