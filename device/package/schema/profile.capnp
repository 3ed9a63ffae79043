# Cycle profile of one run (schema version 5; versions 1 to 5 are read).
# File id, type ids, ordinals and types follow the published wire format of ipu-stack [SW].
@0xbadb9c24f7721fa3;

using Common = import "profile-common.capnp";

struct Profile @0x8307f50b2f8ec55c {
  schemaVersion @0 :UInt32;
  clockHz @1 :UInt64;
  tiles @2 :List(TileProfile);
}

struct TileProfile @0xe5192954d8ba4d0b {
  physicalTile @0 :UInt32;
  samples @1 :List(CycleSample);
}

struct CycleSample @0xa8e5712cd5fa27f1 {
  step @0 :Common.Step;
  startCycle @1 :UInt32;
  endCycle @2 :UInt32;
}
