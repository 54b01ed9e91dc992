
Boutput_0J
mà×"º