
Boutput_0J
ÓÜñÑ/éäìP