
BlogitsJ
Ÿ‹‰†Ò¢ﬂ‡1