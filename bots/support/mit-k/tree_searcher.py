"""Trees by hand, with which the MIT course tests searches."""


class ConnectFourBoard:
    pass


class TreeNode(list):
    def __init__(self, value=None, children=()):
        super().__init__(children)
        self.value = value


def make_tree(tup):
    """A tree of nested tuples (name, children…)."""
    return TreeNode(tup[0], map(make_tree, tup[1:]))


def tree_eval(node):
    return node.value


def tree_get_next_move(node):
    return [(child.value, child) for child in node]


def is_leaf(depth, node):
    return depth <= 0 or not node
