import other

others = [other] * 1000
