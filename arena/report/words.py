"""Words that pseudonyms are made of, with spaces and line ends between them."""

from __future__ import annotations

ADJECTIVES = """
able agile airy alert amber ample apt azure blithe bold brave breezy bright brisk calm candid
careful cheery chief civil clear clever coral cosy crimson crisp curious daring dapper deft eager
early easy elated fair famous fancy fine firm fleet fond free fresh gentle glad golden grand green
handy happy hardy hazel honest humble ivory jade jolly jovial keen kind lilac lively loyal lucid
lucky lunar lush mellow merry mild modest neat nimble noble olive opal patient placid pleasant
polite proud quick quiet rapid ready regal rosy ruby rustic scarlet serene sharp shiny silent
silver sincere sleek smart snowy solar solid sonic spry steady sunny swift tame tawny teal thrifty
tidy tranquil trusty upbeat velvet verdant violet vivid warm wise witty zesty
"""

ANIMALS = """
badger beaver bison bobcat buffalo camel canary caribou cheetah cicada condor coyote crane cricket
curlew deer dingo dolphin donkey dragonfly eagle egret eland elk ermine falcon ferret finch
firefly flamingo fox gazelle gecko gibbon giraffe grouse gull hare harrier hawk hedgehog heron
hippo hoopoe hornbill horse ibex ibis iguana impala jackdaw jaguar kestrel kingfisher kiwi koala
kudu lark lemur leopard lion lizard llama lobster lynx macaw magpie mallard manatee marlin marmot
marten meerkat merlin mongoose moose narwhal newt nightjar ocelot octopus okapi orca oriole osprey
ostrich otter owl oyster panda panther partridge pelican penguin petrel pheasant pika plover pony
porpoise puffin puma quail rabbit raccoon raven reindeer salmon seal sparrow squirrel starling
stork swallow swan tapir tern thrush tiger toucan trout turtle walrus warbler wombat woodpecker
wren yak zebra
"""
