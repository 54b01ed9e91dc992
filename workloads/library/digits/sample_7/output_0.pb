
BlogitsJ
ЮЅебйїЖ2ед