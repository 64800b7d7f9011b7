import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compare } from './compare.ts';
import { type Figure, figuresTable } from './figures.ts';

const HERE = 'some processor, 2 cores, x64';

function figure(median: number, more: Partial<Figure> = {}): Figure {
  return {
    key: 'calls',
    label: 'our calls',
    unit: 'ms',
    median,
    rounds: [median * 0.95, median, median * 1.05],
    ...more,
  };
}

/** One figure as it is now beside the committed one. */
function compared(now: Figure, before: Figure, machine = HERE) {
  const { lines, hasRegressed } = compare('sample', [now], { sample: { machine, figures: [before] } }, HERE);
  return { text: lines.join('\n'), hasRegressed };
}

describe('comparison of benches', () => {
  it('should name what is worse by more than the rounds of either run differ a regression, and no less', () => {
    assert.match(compared(figure(111), figure(100)).text, /as before/);
    const worse = compared(figure(112), figure(100));
    assert.equal(worse.hasRegressed, true);
    assert.match(worse.text, /our calls +was 100, now 112 ms: REGRESSION/);
    const better = compared(figure(50), figure(100));
    assert.equal(better.hasRegressed, false);
    assert.match(better.text, /: better/);
    const wide = { rounds: [80, 100, 140] };
    assert.equal(compared(figure(150), figure(100, wide)).hasRegressed, false);
    assert.equal(compared(figure(150, { rounds: [100, 150, 160] }), figure(100)).hasRegressed, false);
  });

  it('should judge no figure of a single round', () => {
    const { text, hasRegressed } = compared(figure(300, { rounds: [300] }), figure(100));
    assert.match(text, /was 100, now 300 ms: one round, not judged/);
    assert.equal(hasRegressed, false);
  });

  it('should know where more is better: what is counted per second, and what has to be at least so much', () => {
    const perSecond = { unit: '/s' };
    assert.equal(compared(figure(80, perSecond), figure(100, perSecond)).hasRegressed, true);
    assert.equal(compared(figure(200, perSecond), figure(100, perSecond)).hasRegressed, false);
    const atLeast = { unit: 'x', goal: { atLeast: 0.5 } };
    assert.equal(compared(figure(0.7, atLeast), figure(0.9, atLeast)).hasRegressed, true);
    assert.equal(compared(figure(0.9, atLeast), figure(0.7, atLeast)).hasRegressed, false);
  });

  it('should take the first packet that is lost for a regression', () => {
    assert.equal(compared(figure(0), figure(0)).hasRegressed, false);
    assert.equal(compared(figure(1), figure(0)).hasRegressed, true);
  });

  it('should blame nobody for a peer that is slower, and for a figure that is new', () => {
    const peer = compared(figure(300, { isPeer: true }), figure(100));
    assert.equal(peer.hasRegressed, false);
    assert.match(peer.text, /now 300 ms: peer/);
    const renamed = compared(figure(300, { key: 'other' }), figure(100));
    assert.equal(renamed.hasRegressed, false);
    assert.match(renamed.text, / new\n.*not measured any more/);
    const { hasRegressed } = compare('new bench', [figure(300)], {}, HERE);
    assert.equal(hasRegressed, false);
  });

  it('should compare figures of one kind of machine only', () => {
    const { hasRegressed, text } = compared(figure(300), figure(100), 'a faster one, 64 cores, arm64');
    assert.equal(hasRegressed, false);
    assert.match(text, /another kind of machine \(a faster one, 64 cores, arm64; here some processor/);
  });
});

describe('table of figures', () => {
  it('should show each figure with its rounds and whether it meets its goal', () => {
    const figures = [
      figure(1_234.4, { rounds: [1_100.2, 1_234.4, 1_300], goal: { atMost: 2_000 } }),
      figure(0.4567, {
        label: 'ours / theirs',
        unit: 'x',
        rounds: [0.4567],
        goal: { atLeast: 0.5 },
        note: 'one round',
      }),
    ];
    const table = figuresTable({ sample: { machine: HERE, figures } });
    assert.match(
      table,
      /^\| sample \| our calls \| 1,234 ms \(1,100, 1,234, 1,300\) \| at most 2,000: met \|$/m,
    );
    assert.match(table, /^\| \| ours \/ theirs \| 0\.457 x, one round \| at least 0\.5: missed \|$/m);
    assert.match(table, /^- some processor, 2 cores, x64$/m);
  });

  it('should say which benches ran on which machine', () => {
    const other = { machine: 'other, 4 cores, arm64', figures: [figure(1)] };
    const table = figuresTable({ one: { machine: HERE, figures: [figure(1)] }, two: other, three: other });
    assert.match(table, /^- some processor, 2 cores, x64: one\n- other, 4 cores, arm64: two, three$/m);
  });
});
