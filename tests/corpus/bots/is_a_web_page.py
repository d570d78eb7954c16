<!DOCTYPE html>
<html><head><title>bot.py at main</title></head>
<body>def pick_move(rack)</body></html>
