import { setTimeout as sleep } from 'node:timers/promises';
import { type Commands, PanelError, PanelUnreachable } from '../../index.ts';
import { commands } from '../description.ts';
import { Stopped, UsageError } from '../failures.ts';
import { paramsOf } from '../fields.ts';
import type { Target } from '../targets.ts';
import type { Options, Run, Verb } from '../verb.ts';

type Progress = Commands['fleet.progress']['result'];

/** How often the course is asked for, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** How long the panel that owns the roll-out may be away, in milliseconds: it resumes after a restart. */
const AWAY_MS = 300_000;

export const rollout: Verb = {
  name: 'rollout',
  usage:
    '<command> [key=value…] --groups <a,b> | --ids <a,b> [--canary n] [--parallel n] [--healthy-for seconds]',
  summary: 'Carry out projects.fetch, update.fetch or settings.change on many panels, and follow it',
  options: ['groups', 'ids', 'canary', 'parallel', 'healthy-for'],
  async run(run) {
    const { words, options, terminal, forEach } = run;
    const [name, ...fields] = words;
    const params = rolloutParams(name, fields, options);
    const targets = await run.targets();
    if (targets.areMany) throw new UsageError('A roll-out has one owner: name one panel with --panel.');
    return forEach(targets, async (target) => {
      const { id } = await target.panel.call('fleet.rollout', params, { signal: terminal.signal });
      target.voice.note(`roll-out ${id} has begun; Ctrl+C leaves it running`);
      const course = await follow(target, id, run);
      run.answer(targets, target, course, summaryOf(course));
      if (course.state === 'stopped') throw new Stopped(course.reason ?? 'The roll-out was stopped.');
    });
  },
};

function rolloutParams(
  name: string | undefined,
  fields: readonly string[],
  options: Options,
): Commands['fleet.rollout']['params'] {
  const known = ['projects.fetch', 'update.fetch', 'settings.change'] as const;
  const command = known.find((each) => each === name);
  if (command === undefined) throw new UsageError(`A roll-out is of ${known.join(', ')}.`);
  if ((options.groups === undefined) === (options.ids === undefined))
    throw new UsageError('Give either --groups or --ids.');
  // The panel may be newer than this description of it.
  const described = commands().get(command);
  const params = paramsOf(fields, described ?? { name: command, fields: [] }, described === undefined);
  const list = (text: string) => text.split(',').filter((each) => each !== '');
  const counts = [
    ['canary', count('canary', options.canary)],
    ['parallel', count('parallel', options.parallel)],
    ['healthyFor', count('healthy-for', options['healthy-for'])],
  ].filter(([, value]) => value !== undefined);
  return {
    ...(options.groups === undefined ? { ids: list(options.ids ?? '') } : { groups: list(options.groups) }),
    command,
    params,
    ...Object.fromEntries(counts),
  };
}

function count(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${option} is a whole number.`);
  return Number(text);
}

/** Says each change of a panel, until the roll-out ends. */
async function follow({ panel, voice }: Target, id: string, { terminal }: Run): Promise<Progress> {
  const said = new Map<string, string>();
  let awaySince: number | undefined;
  for (;;) {
    try {
      const course = await panel.call('fleet.progress', { id }, { signal: terminal.signal });
      awaySince = undefined;
      for (const { id: each, state, reason } of course.panels) {
        const words = reason === null ? state : `${state}, ${reason}`;
        if (said.get(each) !== words && !(state === 'waiting' && !said.has(each)))
          voice.note(`${each} ${words}`);
        said.set(each, words);
      }
      if (course.state !== 'running') return course;
    } catch (error) {
      const isAway =
        error instanceof PanelUnreachable || (error instanceof PanelError && error.status === 503);
      if (!isAway) throw error;
      if (awaySince === undefined) voice.note('the owner of the roll-out is away; waiting for it');
      awaySince ??= performance.now();
      if (performance.now() - awaySince > AWAY_MS) throw error;
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: terminal.signal }).catch(() =>
      terminal.signal.throwIfAborted(),
    );
  }
}

function summaryOf({ state, panels }: Progress): string {
  const counts = new Map<string, number>();
  for (const { state: each } of panels) counts.set(each, (counts.get(each) ?? 0) + 1);
  return `${state}: ${[...counts].map(([each, number]) => `${number} ${each}`).join(', ')}`;
}
