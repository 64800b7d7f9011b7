import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PinEdge } from '../gpio/contract.ts';
import type { JournalEntry } from './contract.ts';
import { LANES, laneOf, repeatedRows, rowsOf, type Span, stepsOf, wantedRows } from './viewRows.ts';

const START = Date.parse('2026-05-04T12:30:00.000Z');
const timeOf = (ms: number) => new Date(START + ms).toISOString();

const entry = (ms: number, command: string): JournalEntry => ({
  time: `${timeOf(ms).slice(0, -1)}000Z`,
  command,
  surface: 'http',
  caller: { id: 'owner', name: 'owner', address: null },
  params: {},
  code: 'OK',
  ms: 1,
});
const edge = (ms: number, pin: number, level: 0 | 1, count = 1): PinEdge => ({
  time: timeOf(ms),
  pin,
  level,
  count,
  written: false,
});
const span: Span = { from: START, to: START + 1_000 };

test('should put commands, pages and edges into one order, each with a key of its own', () => {
  const rows = rowsOf(
    [entry(30, 'page.state'), entry(20, 'gpio.write'), entry(10, 'kiosk.reload')],
    [edge(20, 0, 0), edge(20, 0, 1), edge(15, 2, 1)],
  );
  assert.deepEqual(
    rows.map(({ lane, entry, edge }) => [lane, entry?.command ?? edge?.level]),
    [
      ['page', 'page.state'],
      ['commands', 'gpio.write'],
      ['pins', 0],
      ['pins', 1],
      ['pins', 1],
      ['page', 'kiosk.reload'],
    ],
  );
  assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
  // A row keeps its key when newer edges come.
  const more = rowsOf([], [edge(20, 0, 1), edge(20, 0, 0), edge(20, 0, 1)]);
  assert.ok(more.some(({ key }) => key === rows[2]!.key));
});

test('should know the lane of a command', () => {
  for (const command of ['page.show', 'page.state', 'kiosk.reload']) assert.equal(laneOf(command), 'page');
  for (const command of ['gpio.write', 'pages', 'message.show']) assert.equal(laneOf(command), 'commands');
});

test('should filter by time, lane and text', () => {
  const rows = rowsOf([entry(900, 'led.on'), entry(-1, 'led.on')], [edge(500, 1, 1)]);
  const textOf = (row: (typeof rows)[number]) => row.entry?.command ?? 'IO 2';
  const found = (lanes: readonly (typeof LANES)[number][], words: string) =>
    wantedRows(rows, { ...span, lanes: new Set(lanes), words }, textOf).map(({ lane }) => lane);
  assert.deepEqual(found(LANES, ''), ['commands', 'pins']);
  assert.deepEqual(found(['pins'], ''), ['pins']);
  assert.deepEqual(found(LANES, 'LED'), ['commands']);
  assert.deepEqual(found([], ''), []);
});

test('should draw the level of a pin from the beginning of the span', () => {
  const pin = { pin: 0, level: 1 } as const;
  assert.deepEqual(stepsOf(pin, [edge(500, 0, 1)], span, 0), [
    { at: 0, level: 0 },
    { at: 0.5, level: 1 },
  ]);
  // An even number of edges leads back to the level of before.
  assert.deepEqual(stepsOf(pin, [edge(500, 0, 1, 2)], span, 0), [
    { at: 0, level: 1 },
    { at: 0.5, level: 1 },
  ]);
  assert.deepEqual(stepsOf(pin, [edge(250, 0, 1), edge(-10, 0, 0)], span, 0)[0], { at: 0, level: 0 });
  // All of them later, or none at all.
  assert.deepEqual(stepsOf(pin, [edge(5_000, 0, 1)], span, 0), [{ at: 0, level: 0 }]);
  assert.deepEqual(stepsOf(pin, [edge(10, 1, 0)], span, 0), [{ at: 0, level: 1 }]);
  // Nothing is known from before the service began.
  assert.deepEqual(stepsOf(pin, [], span, START + 250), [{ at: 0.25, level: 1 }]);
  assert.deepEqual(stepsOf({ pin: 0, level: null }, [], span, 0), []);
});

test('should put what one caller did again and again into one row, and nothing else', () => {
  const refused = { ...entry(40, 'led.on'), code: 'FORBIDDEN' };
  const rows = rowsOf(
    [entry(60, 'led.on'), entry(50, 'led.on'), refused, entry(20, 'led.on'), entry(10, 'led.color')],
    [edge(30, 0, 1), edge(25, 0, 0)],
  );
  assert.deepEqual(
    repeatedRows(rows).map(({ row, count }) => [row.entry?.command ?? row.edge!.pin, count]),
    [
      ['led.on', 2],
      ['led.on', 1],
      [0, 1],
      [0, 1],
      ['led.on', 1],
      ['led.color', 1],
    ],
  );
  assert.equal(repeatedRows(rows)[0]!.row.at, START + 60);
});
