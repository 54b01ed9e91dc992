
Boutput_0J
÷
İ
aÊï