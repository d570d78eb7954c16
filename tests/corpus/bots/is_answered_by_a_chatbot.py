# expect: problem has Markdown around its code (``` in line 2)
```python
def pick_move(rack):
    return [column[-1] for column in rack].index(0)
```
