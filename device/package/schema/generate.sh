#!/bin/sh
# Regenerates ../generated from the schemas. Needs the `capnp` compiler (Debian package capnproto) and the
# development dependencies; neither the build nor the tests need `capnp`.
set -eu
cd "$(dirname "$0")/../generated"
capnp compile --src-prefix=../schema -I../schema -o../schema/generator.mjs \
  ../schema/profile-common.capnp ../schema/profile.capnp ../schema/application.capnp
