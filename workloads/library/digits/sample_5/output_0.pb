
BlogitsJ
ΒΝΑHύκήΥ