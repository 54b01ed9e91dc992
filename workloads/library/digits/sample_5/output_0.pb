
Boutput_0J
Ä×èýÇN 