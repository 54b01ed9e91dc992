
Boutput_0J
%È<úiÑé