
BlogitsJ
W£Ι¦Ψζπτω