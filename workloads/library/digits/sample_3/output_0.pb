
Boutput_0J
µ!ÆXõÿþ