
BlogitsJ
¼)ױאיאֿסוצ