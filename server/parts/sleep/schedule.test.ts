import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { localIso } from '../../platform/clock.ts';
import { nextOff, nextOn, type Schedule, shouldBeAwake } from './scheduleKeeper.ts';

const MINUTE = 60_000;
const DAY_MINUTES = 1_440;

const zoneBefore = process.env.TZ;
after(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

function schedule(onTime: string, offTime: string, onDays: number[] = []): Schedule {
  return { enabled: true, onTime, offTime, onDays };
}

/** The next edges as local times. */
function edges(plan: Schedule, now: string): { on: string; off: string } {
  const moment = Date.parse(now);
  return { on: localIso(nextOn(plan, moment) ?? 0), off: localIso(nextOff(plan, moment) ?? 0) };
}

describe('schedule', () => {
  test('should have no edges and never sleep while it is disabled', () => {
    const plan = { ...schedule('07:00', '22:00'), enabled: false };
    const now = Date.parse('2026-07-01T03:00:00Z');
    assert.equal(nextOn(plan, now), null);
    assert.equal(nextOff(plan, now), null);
    assert.equal(shouldBeAwake(plan, now), true);
  });

  test('should begin at onTime and end at offTime, to the millisecond', () => {
    process.env.TZ = 'Europe/Berlin';
    const plan = schedule('07:00', '22:00');
    const on = Date.parse('2026-07-01T07:00:00+02:00');
    const off = Date.parse('2026-07-01T22:00:00+02:00');
    assert.equal(shouldBeAwake(plan, on - 1), false);
    assert.equal(shouldBeAwake(plan, on), true);
    assert.equal(nextOn(plan, on - 1), on);
    assert.equal(nextOn(plan, on), on + 24 * 60 * MINUTE);
    assert.equal(shouldBeAwake(plan, off - 1), true);
    assert.equal(shouldBeAwake(plan, off), false);
    assert.equal(nextOff(plan, off - 1), off);
    assert.equal(nextOff(plan, off), off + 24 * 60 * MINUTE);
  });

  test('should give an earlier offTime to the next day', () => {
    process.env.TZ = 'Europe/Berlin';
    const plan = schedule('18:00', '02:00');
    assert.equal(shouldBeAwake(plan, Date.parse('2026-07-01T23:59:00+02:00')), true);
    assert.equal(shouldBeAwake(plan, Date.parse('2026-07-01T01:59:00+02:00')), true);
    assert.equal(shouldBeAwake(plan, Date.parse('2026-07-01T02:00:00+02:00')), false);
    assert.deepEqual(edges(plan, '2026-07-01T12:00:00+02:00'), {
      on: '2026-07-01T18:00:00+02:00',
      off: '2026-07-02T02:00:00+02:00',
    });
  });

  test('should apply the days to the time of waking', () => {
    process.env.TZ = 'Europe/Berlin';
    // 2026-07-03 is a Friday.
    const plan = schedule('18:00', '02:00', [5]);
    assert.equal(shouldBeAwake(plan, Date.parse('2026-07-04T01:00:00+02:00')), true);
    assert.equal(shouldBeAwake(plan, Date.parse('2026-07-04T18:30:00+02:00')), false);
    assert.equal(shouldBeAwake(plan, Date.parse('2026-07-03T01:00:00+02:00')), false);
    assert.deepEqual(edges(plan, '2026-07-04T02:00:00+02:00'), {
      on: '2026-07-10T18:00:00+02:00',
      off: '2026-07-11T02:00:00+02:00',
    });
  });

  test('should move a time that the clocks skip forward', () => {
    process.env.TZ = 'Europe/Berlin';
    assert.equal(
      edges(schedule('02:30', '22:00'), '2026-03-29T00:00:00+01:00').on,
      '2026-03-29T03:30:00+02:00',
    );
    process.env.TZ = 'Australia/Lord_Howe';
    assert.equal(
      edges(schedule('02:15', '22:00'), '2026-10-04T00:00:00+10:30').on,
      '2026-10-04T02:45:00+11:00',
    );
  });

  test('should act once at a time that comes twice', () => {
    process.env.TZ = 'America/New_York';
    const plan = schedule('01:30', '22:00');
    const first = '2026-11-01T01:30:00-04:00';
    assert.equal(edges(plan, '2026-11-01T00:00:00-04:00').on, first);
    assert.equal(edges(plan, first).on, '2026-11-02T01:30:00-05:00');
    assert.equal(shouldBeAwake(plan, Date.parse('2026-11-01T01:29:00-05:00')), true);
  });

  test('should keep sleeping when a change of the clocks reverses a short time', () => {
    process.env.TZ = 'Europe/Berlin';
    const plan = schedule('02:30', '03:15');
    assert.deepEqual(edges(plan, '2026-03-29T00:00:00+01:00'), {
      on: '2026-03-30T02:30:00+02:00',
      off: '2026-03-30T03:15:00+02:00',
    });
    assert.equal(shouldBeAwake(plan, Date.parse('2026-03-29T03:30:00+02:00')), false);
  });

  test('should find the one day a week even when a change of the clocks swallows the next', () => {
    process.env.TZ = 'Europe/Berlin';
    assert.equal(
      edges(schedule('02:30', '03:15', [0]), '2026-03-22T12:00:00+01:00').on,
      '2026-04-05T02:30:00+02:00',
    );
  });
});

/**
 * Walks minute by minute without any date arithmetic: it reads the local time of each quarter of an hour from Intl and
 * records which local minute comes when. A skipped minute comes as much later as it was missed by; one that comes twice
 * counts the first time.
 */
class MinuteWalker {
  readonly #start: number;
  readonly #length: number;
  /** By local minute (minutes since 1970 as if it were UTC): the minute of the walk at which it comes. */
  readonly #comes = new Map<number, number>();

  constructor(zone: string, start: number, days: number) {
    this.#start = start / MINUTE;
    this.#length = days * DAY_MINUTES;
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' });
    let newest = Number.NaN;
    let offset = 0;
    for (let step = 0; step < this.#length; step++) {
      if (step % 15 === 0) offset = offsetMinutes(format, (this.#start + step) * MINUTE);
      const local = this.#start + step + offset;
      if (local <= newest) continue;
      for (let missed = newest + 1; missed < local; missed++) {
        this.#comes.set(missed, step + (missed - newest - 1));
      }
      this.#comes.set(local, step);
      newest = local;
    }
  }

  /** For each minute of the walk whether the panel is awake. */
  walk({ onTime, offTime, onDays }: Schedule): boolean[] {
    const [on, off] = [minuteOfDay(onTime), minuteOfDay(offTime)];
    const awake: boolean[] = Array(this.#length).fill(false);
    for (const [local, step] of this.#comes) {
      const day = Math.floor(local / DAY_MINUTES);
      if (local - day * DAY_MINUTES !== on) continue;
      // 1970-01-01 was a Thursday.
      if (onDays.length > 0 && !onDays.includes((day + 4) % 7)) continue;
      const end = this.#comes.get((off > on ? day : day + 1) * DAY_MINUTES + off) ?? this.#length;
      for (let minute = step; minute < end; minute++) awake[minute] = true;
    }
    return awake;
  }

  moment(step: number): number {
    return (this.#start + step) * MINUTE;
  }

  get length(): number {
    return this.#length;
  }
}

function offsetMinutes(format: Intl.DateTimeFormat, moment: number): number {
  const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name) ?? assert.fail(name);
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

function minuteOfDay(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

function timeOf(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}

describe('schedule against a walk through every minute', () => {
  /** Zones with the night of each change of their clocks, and one night without. */
  const nights: Readonly<Record<string, readonly string[]>> = {
    'Europe/Berlin': ['2026-03-29', '2026-10-25', '2026-07-01'],
    'America/New_York': ['2026-03-08', '2026-11-01', '2026-01-01'],
    // Half an hour.
    'Australia/Lord_Howe': ['2026-04-05', '2026-10-04', '2026-12-31'],
    // Never changes; not a whole hour from UTC.
    'Asia/Kolkata': ['2026-02-28'],
    // At midnight: a day begins at 01:00, another has its last hour twice.
    'America/Santiago': ['2026-04-05', '2026-09-06'],
  };
  const time = fc.oneof(
    fc.integer({ min: 0, max: DAY_MINUTES - 1 }),
    // Where the clocks change.
    fc.integer({ min: 0, max: 4 * 60 }),
  );
  const plans = fc
    .record({
      enabled: fc.constant(true),
      onTime: time.map(timeOf),
      offTime: time.map(timeOf),
      onDays: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 7 }),
    })
    .filter(({ onTime, offTime }) => onTime !== offTime);

  for (const [zone, dates] of Object.entries(nights)) {
    test(`should agree in ${zone}`, () => {
      process.env.TZ = zone;
      for (const date of dates) {
        // The night is on the fifth day of 30: nine days suffice to look back, sixteen to find the next edge.
        const walker = new MinuteWalker(zone, Date.parse(`${date}T00:00:00Z`) - 9 * DAY_MINUTES * MINUTE, 30);
        const minute = fc.integer({ min: 4 * DAY_MINUTES, max: 13 * DAY_MINUTES });
        fc.assert(
          fc.property(plans, fc.array(minute, { minLength: 8, maxLength: 8 }), (plan, minutes) => {
            const awake = walker.walk(plan);
            for (const now of minutes) {
              const moment = walker.moment(now);
              assert.equal(shouldBeAwake(plan, moment), awake[now]);
              assert.equal(shouldBeAwake(plan, moment + MINUTE - 1), awake[now]);
              const on = nextEdge(awake, now, true);
              const off = nextEdge(awake, now, false);
              assert.equal(nextOn(plan, moment), on === null ? null : walker.moment(on));
              assert.equal(nextOff(plan, moment), off === null ? null : walker.moment(off));
            }
          }),
          { numRuns: 60 },
        );
      }
    });
  }

  function nextEdge(awake: readonly boolean[], now: number, to: boolean): number | null {
    for (let minute = now + 1; minute < awake.length; minute++) {
      if (awake[minute] === to && awake[minute - 1] !== to) return minute;
    }
    return null;
  }
});
