
Boutput_0J
úñQ’Ðê2