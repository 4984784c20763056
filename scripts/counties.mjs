// Draws the counties of the United States as small SVG paths, from the Census Bureau's cartographic boundaries:
//
//   node counties.mjs counties-albers-10m.json > internal/serve/site/frame/static/counties.json
//
// The file read is that of the npm package us-atlas, a TopoJSON of the Bureau's files, already projected to 975 by 610
// points with Alaska and Hawaii below. A border that two counties share is one arc, so both keep the same points.
import { readFile } from "node:fs/promises";

const topology = JSON.parse(await readFile(process.argv[2], "utf8"));
const least = +(process.env.LEAST ?? 3); // area in square points of the smallest corner that stays
const [sx, sy] = topology.transform.scale, [tx, ty] = topology.transform.translate;

const area = (a, b, c) => Math.abs((a[0] - c[0]) * (b[1] - a[1]) - (a[0] - b[0]) * (c[1] - a[1])) / 2;
const around = (ring) => Math.abs(ring.reduce((sum, p, i) => { const q = ring[(i + 1) % ring.length]; return sum + p[0] * q[1] - q[0] * p[1]; }, 0)) / 2;

// simpler takes the smallest corner out of a line until the smallest is large enough (Visvalingam).
const simpler = (line) => {
  line = [...line];
  const ends = line[0][0] === line.at(-1)[0] && line[0][1] === line.at(-1)[1] ? 4 : 2;
  while (line.length > ends) {
    let at = 0, small = Infinity;
    for (let i = 1; i < line.length - 1; i++) {
      const a = area(line[i - 1], line[i], line[i + 1]);
      if (a < small) [small, at] = [a, i];
    }
    if (small >= least) break;
    line.splice(at, 1);
  }
  return line;
};
const arcs = topology.arcs.map((arc) => {
  let x = 0, y = 0;
  return simpler(arc.map(([dx, dy]) => [(x += dx) * sx + tx, (y += dy) * sy + ty])).map(([x, y]) => [Math.round(x), Math.round(y)]);
});
const line = (i) => i < 0 ? [...arcs[~i]].reverse() : arcs[i];
const ring = (list) => list.flatMap((i) => line(i).slice(1));

// path writes points as moves relative to the one before, in as few characters as SVG needs.
const path = (points, closed) => {
  let d = "", was = "", [x, y] = [0, 0];
  points.forEach(([px, py], i) => {
    const dx = px - x, dy = py - y;
    if (i > 0 && dx === 0 && dy === 0) return;
    const by = i === 0 ? "M" : dy === 0 ? "h" : dx === 0 ? "v" : "l";
    const [first, second] = by === "h" ? [dx, ""] : by === "v" ? [dy, ""] : [dx, dy < 0 ? dy : " " + dy];
    d += (by !== was ? by : first < 0 ? "" : " ") + first + second;
    [x, y, was] = [px, py, by];
  });
  return d + (closed ? "z" : "");
};

const counties = {};
for (const county of topology.objects.counties.geometries) {
  const polygons = county.type === "Polygon" ? [county.arcs] : county.arcs ?? [];
  const rings = polygons.map((p) => ring(p[0])).sort((a, b) => around(b) - around(a));
  // A small island says nothing, unless the county has nothing larger.
  if (rings.length > 0 && around(rings[0]) < 3) { // a county that is smaller than that is a square where it is
    const [x, y] = rings[0][0];
    rings[0] = [[x - 1, y - 1], [x + 2, y - 1], [x + 2, y + 2], [x - 1, y + 2]];
  }
  const drawn = rings.filter((r, i) => i === 0 || around(r) >= 4).map((r) => path(r, true));
  // Valdez-Cordova in Alaska was divided in 2019, after these boundaries: its shape stands for Chugach, where most people live.
  if (county.id === "02261") county.id = "02063";
  if (drawn.length > 0) (counties[county.id.slice(0, 2)] ??= {})[county.id.slice(2)] = drawn.join("");
}

// The borders between two states.
const sides = new Map();
for (const state of topology.objects.states.geometries) {
  for (const i of (state.type === "Polygon" ? [state.arcs] : state.arcs ?? []).flat(2)) sides.set(i < 0 ? ~i : i, (sides.get(i < 0 ? ~i : i) ?? 0) + 1);
}
const states = [...sides].filter(([, n]) => n > 1).map(([i]) => path(arcs[i], false)).join("");
console.log(JSON.stringify({ states, counties }));
