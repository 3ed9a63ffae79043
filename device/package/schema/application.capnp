# Application package, `.ipuexe` (schema version 5).
# File id, type ids, ordinals, types and defaults follow the published wire format of ipu-stack [SW].
@0xd3bce605d3d25b4f;

using Common = import "profile-common.capnp";

struct Application @0xab24b1f01881c23e {
  schemaVersion @0 :UInt32;
  compilerVersion @1 :Text;
  target @2 :Text;
  tileMemoryBase @3 :UInt32;
  tileMemorySize @4 :UInt32;
  tiles @5 :List(TileImage);
  inputs @6 :List(Binding);
  outputs @7 :List(Binding);
  weights @8 :List(Binding);
  hostExchange @9 :HostExchange;
  entryPoints @10 :List(EntryPoint);
  deviceConfigWrites @11 :List(DeviceConfigWrite);
  profileTiles @12 :List(TileProfilePlan);
  debugSymbols @13 :List(DebugSymbol);
  debugRegions @14 :List(DebugRegion);
}

struct TileImage @0xb32742e901d337cb {
  physicalTile @0 :UInt32;
  entryPoint @1 :UInt32;
  segments @2 :List(Segment);
  commandAddress @3 :UInt32;
  diagnosticAddress @4 :UInt32;
}

struct Segment @0x8c833f8b328bd39a {
  address @0 :UInt32;
  memorySize @1 :UInt32;
  # May be shorter than memorySize; the rest of the memory is zero.
  data @2 :Data;
  # 1 read, 2 write, 4 execute.
  flags @3 :UInt32;
}

struct Binding @0xff02ea93c3889c1d {
  name @0 :Text;
  dtype @1 :Text;
  shape @2 :List(UInt32);
  slices @3 :List(RegionSlice);
}

struct RegionSlice @0x981c49993d3884ee {
  tile @0 :UInt32;
  tileAddress @1 :UInt32;
  fileOffset @2 :UInt64;
  size @3 :UInt64;
}

struct HostExchange @0xa25ac9fe0980cd3a {
  startupMark @0 :UInt32;
  commandPage @1 :UInt32;
  commandOffset @2 :UInt64;
  pages @3 :List(HostPage);
  attachOrder @4 :List(UInt32);
  calls @5 :List(HostCall);
}

struct HostPage @0xc623da9177c10431 {
  index @0 :UInt32;
  size @1 :UInt64;
}

struct HostCall @0xd08a9588e8dcfc0c {
  name @0 :Text;
  command @1 :UInt32;
  phases @2 :UInt32;
  inputs @3 :List(HostSlice);
  outputs @4 :List(HostSlice);
  invocations @5 :UInt32 = 1;
  # Cumulative ends, one per rendezvous.
  inputBatchEnds @6 :List(UInt32);
  outputBatchEnds @7 :List(UInt32);
}

struct HostSlice @0x9b7db0632f05714d {
  page @0 :UInt32;
  pageOffset @1 :UInt64;
  fileOffset @2 :UInt64;
  size @3 :UInt64;
}

struct EntryPoint @0xcad0563224e1a3df {
  name @0 :Text;
  command @1 :UInt32;
  externalSyncs @2 :UInt32;
}

struct DeviceConfigWrite @0xd1eb6d8159e2ef81 {
  offset @0 :UInt32;
  value @1 :UInt32;
}

struct TileProfilePlan @0xca50934d7445e77a {
  physicalTile @0 :UInt32;
  steps @1 :List(Common.Step);
}

struct DebugSymbol @0xe05f64e866b954bc {
  name @0 :Text;
  address @1 :UInt32;
}

struct DebugRegion @0xefecd14332de2937 {
  # 0xffffffff stands for every tile.
  physicalTile @0 :UInt32;
  address @1 :UInt32;
  size @2 :UInt32;
  name @3 :Text;
}
