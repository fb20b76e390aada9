// RUN: obs-opt %s --obs-assign-layouts | FileCheck %s

// Striped unless something else was asked for.
// CHECK-LABEL: obs.kernel @layouts
obs.kernel @layouts(%n: index) {
  // CHECK: mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>
  scf.forall (%i) in (%n) {
  } {mapping = [#obs.map<grid, thread>]}
  // CHECK: obs.distribution = #obs.distribution<blocked>
  scf.forall (%i) in (%n) {
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<blocked>}
}
