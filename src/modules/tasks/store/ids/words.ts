/** First words of ids: short, kind, and hard to take for each other. */
export const firstWords: readonly string[] = split(`
  able agile airy alert amber ample apt aqua arctic ardent autumn azure balmy basic beige big blithe blue bold bonny
  brave breezy brief bright brisk broad bronze brown calm candid careful cheery chief choice civil clean clear clever
  close cloudy coastal cool copper coral cosmic cosy crisp curious cyan dainty dapper daring dawn dear deep deft dense
  devout direct dry dusky dusty eager early earnest easy eastern ebony elder equal even exact fair famous fancy fast
  fine firm first fit fleet fluent fond formal frank free fresh frosty full gallant gentle giant gifted glad gleaming
  golden good grand grassy great green grey handy happy hardy hazel hearty hidden high hilly honest humble icy ideal
  indigo inland ivory jade jolly jovial just keen khaki kind large lasting late lavish leafy lean level light lilac
  limber lively local lofty long loud loyal lucid lucky lunar magenta main major maroon mature mellow merry mighty mild
  mindful minor minty misty modern modest mossy muted narrow native neat new nimble noble northern novel olive open
  orange orderly outer pale patient peaceful pearly pink placid plain plucky plum polar polite prime prompt proper proud
  prudent pure purple quaint quick quiet rapid rare ready real red regal rich ripe robust rocky rosy round royal ruby
  rural rustic safe sandy scarlet scenic serene sharp shiny short silent silver simple sincere sleek small smart smooth
  snowy sober social soft solar solid southern spare stable starry steady steep still stout strong subtle sunny super
  sure swift tall tame tan tawny teal tender tidy timely tiny topaz tranquil true trusty upbeat urban useful valid vast
  velvet vivid warm western white whole wide wild windy winter wise witty wooden woolly young zesty
`);

/** Second words of ids: animals, plants and things of the landscape. */
export const secondWords: readonly string[] = split(`
  acorn adder agate alder almond anchor ant apple arch ash aspen aster badger bamboo barley basil bay beach bean bear
  beaver bee beech beetle bell berry birch bison bloom boat boulder branch breeze bridge brook buffalo bush cactus camel
  canary canoe canyon cape castle cat cave cedar cherry cliff cloud clover coast cobra comet condor copse cove crab crane
  creek cricket crow crystal cypress daisy dale dawn deer delta desert dingo dolphin donkey dove dragon duck dune eagle
  earth eel elk elm ember ermine falcon farm fawn feather fern ferret field fig finch fir fjord flame flint flower foal
  forest fossil fox frog garden garlic garnet gazelle gecko geyser ginger glacier glade goat goose gorge grape grass
  grove gull hare harbor hawk hazel heath hedge heron hill holly honey horse hyena ibex iguana impala iris island ivy
  jackal jaguar jasmine jay juniper kelp kestrel kiwi koala lagoon lake lamb lantern larch lark laurel lava leaf lemon
  lemur leopard lichen lily lime lion lizard llama lobster lotus lynx magpie mango maple marsh marten meadow melon
  meteor mint mole moon moose moss moth mountain mouse mule myrtle narwhal nettle newt oak oasis ocean ocelot olive
  onyx opal orchid oriole osprey otter owl ox oyster palm panda panther papaya parrot path peach pebble pelican penguin
  pepper perch pigeon pine planet plum pond pony poplar poppy puffin puma quail quartz rabbit raccoon rain raven reed
  reef ridge river robin rook rose sage salmon seal shell shore sky sloth snail snow sparrow spring spruce squirrel star
  stone stork storm stream summit swallow swan tapir teal thistle thrush tiger trail trout tulip tundra turtle valley
  viper walnut walrus wave whale willow wind wolf wombat wren yak yew zebra
`);

function split(words: string): readonly string[] {
  return words.trim().split(/\s+/);
}
