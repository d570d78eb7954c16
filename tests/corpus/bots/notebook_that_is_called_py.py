{
 "cells": [
  {
   "cell_type": "code",
   "metadata": {},
   "source": [
    "import numpy as np\n",
    "blank = 0\n",
    "X = 1\n",
    "O = 2\n",
    "symbol = [' ','X','O']\n",
    "N = 8\n",
    "def getEmptyBoard():\n",
    "    return np.zeros((N,N)).astype(int)\n",
    "ERROR = -1"
   ],
   "execution_count": null,
   "outputs": []
  },
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "## Solution for Problem Three"
   ]
  },
  {
   "cell_type": "code",
   "metadata": {},
   "source": [
    "# Solution for Problem Three\n",
    "def player(board):\n",
    "    return [m for m in range(N) if board[0][m] == blank][0]"
   ],
   "execution_count": null,
   "outputs": []
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
