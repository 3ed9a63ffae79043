# Types shared by packages (planned steps) and profiles (measured steps).
# File id, type ids, ordinals and types follow the published wire format of ipu-stack [SW].
@0xf3c4b874bcfe20c9;

enum StepKind @0xde55cdcd1245d0d5 {
  exchange @0;
  compute @1;
  synchronization @2;
  idle @3;
}

enum ExchangeActivityKind @0xd6e1d70e0d0f8f06 {
  send @0;
  receive @1;
  partnerBusy @2;
}

struct Metadata @0x8bb5604f8de791b0 {
  name @0 :Text;
  value @1 :Text;
}

struct ExchangeActivity @0x9a6018befa7a748a {
  kind @0 :ExchangeActivityKind;
  startCycle @1 :UInt32;
  endCycle @2 :UInt32;
}

struct Step @0xd4046050f2835a10 {
  localIndex @0 :UInt32;
  phase @1 :UInt32;
  epoch @2 :UInt32;
  operation @3 :Text;
  kind @4 :StepKind;
  kernel @5 :Text;
  metadata @6 :List(Metadata);
  exchangeActivities @7 :List(ExchangeActivity);
  exchangeEventCycles @8 :UInt32;
}
