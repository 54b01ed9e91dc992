
Boutput_0J
ύτ«h9ότ