import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { commandList } from '../../server/contract/commands.ts';
import { openApi } from '../../server/contract/openapi.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { skipWithoutSocat } from '../../server/testing/ptyLine.ts';
import { runProgram } from '../../server/testing/python.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { until } from '../../server/testing/waiting.ts';
import { DevicesOnTheLine } from './testing/devicesOnTheLine.ts';
import { differences, readGuide, readShellBlocks, type ShellBlock } from './testing/guide.ts';
import { GuideRunner } from './testing/guideRunner.ts';

const docs = join(import.meta.dirname, '../../docs');
const commands = new Set<string>([...commandList].map(([name]) => name));

/** Blocks that no test runs, in all guides together. */
const MOST_NOT_RUN = 1;

/** What the reader of a guide has running before it begins; the others start it by their own first block. */
const guides = [
  { file: 'projects.md', guide: 'first page' },
  { file: 'caller.md', guide: 'first call' },
  { file: 'setup.md', guide: 'first steps', running: 'npm start -- --host none' },
  { file: 'home-assistant.md', guide: 'without a broker', running: 'npm start' },
  { file: 'home-assistant.md', guide: 'broker', running: 'npm start -- --host none' },
  { file: 'recipes.md', guide: 'recipes', running: 'npm start -- --host none' },
  { file: 'recipes.md', guide: 'screen', running: 'npm start' },
] as const satisfies readonly { file: string; guide: string; running?: string }[];

const textOf = (file: string, guide: string) => readGuide(readFileSync(join(docs, file), 'utf8'), guide);
const blocksOf = (file: string, guide: string) => readShellBlocks(textOf(file, guide));

describe('command lines of the guides', { concurrency: 2 }, () => {
  for (const guide of guides) {
    it(`should do what the guide "${guide.guide}" of docs/${guide.file} says`, async () => {
      const runner = new GuideRunner();
      after(() => runner.stop());
      await runner.start();
      if ('running' in guide) await runner.startService(guide.running);
      for (const block of blocksOf(guide.file, guide.guide)) await follow(runner, block);
      assert.equal(await runner.stop(), 0, 'the service did not end well');
    });
  }

  it('should do what docs/recipes.md says, with a display and a meter on the line', {
    skip: skipWithoutSocat,
  }, async () => {
    await using house = await DevicesOnTheLine.start();
    await using runner = new GuideRunner();
    await runner.start();
    await runner.startService(`npm start -- --host none --board ${house.board}`);
    for (const block of blocksOf('recipes.md', 'devices')) await follow(runner, block);
    assert.equal(house.display.received.toString(), 'ka 01 01\rka 01 FF\r');
    assert.equal(house.meter.memory.coils[4], true);
    assert.equal(await runner.stop(), 0, 'the service did not end well');
  });

  it('should all be run but for a few, each with its reason', () => {
    const notRun = guides.flatMap(({ file, guide }) => blocksOf(file, guide).filter((block) => block.notRun));
    assert.equal(notRun.length, MOST_NOT_RUN);
  });

  it('should call what exists in the settings of Home Assistant, too', () => {
    const { paths } = openApi('0') as { paths: Record<string, object> };
    const text = textOf('home-assistant.md', 'without a broker');
    const calls = text.split(/^(?= *(?:- resource|url): http:\/\/192)/m).slice(1);
    assert.equal(calls.length, 5);
    for (const call of calls) {
      const [, path] = /8080(\S+)/.exec(call) ?? [];
      const [, method = 'get'] = /^ +method: (\w+)/m.exec(call) ?? [];
      assert.ok(method.toLowerCase() in (paths[path!] ?? {}), `${method} ${path}`);
    }
  });

  it('should tell of a line that fails, wherever it stands in its block', async () => {
    await using runner = new GuideRunner();
    await runner.start();
    const run = (text: string) => runner.run({ text, endless: false });
    assert.deepEqual(await run("NAME='it is kept'\n"), { status: 0, output: '' });
    assert.deepEqual(await run('echo "$NAME"\nprintf end'), { status: 0, output: 'it is kept\nend' });
    assert.equal((await run('false\necho on')).status, 1);
    assert.equal((await run('VALUE=$(false | sed p)')).status, 1);
    assert.equal((await run('curl http://127.0.0.1:8080/healthz')).status, 7);
  });
});

describe('programs of the guides', () => {
  const service = new FaceplateProcess();
  const folder = temporaryFolder('samples');
  before(() => service.start());
  after(async () => {
    await service.stop();
  });

  /** The sample of this language in the guide of callers, with its panel and token. */
  async function sampleIn(language: 'js' | 'python'): Promise<string> {
    const found = [...textOf('caller.md', 'first call').matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(
      ([, name]) => name === language,
    );
    assert.equal(found.length, 1, language);
    const known = { panel: await service.url, token: await service.token() };
    const lines = Object.entries(known).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
    return (language === 'js' ? lines.map((line) => `const ${line}`) : lines).join('') + found[0]![2];
  }

  it('should print events one by one in Node', async () => {
    const path = join(folder, 'events.mjs');
    writeFileSync(path, await sampleIn('js'));
    const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    try {
      await until(() => said.startsWith('snapshot {'), 'the snapshot');
      const headers = {
        authorization: `Bearer ${await service.token()}`,
        'content-type': 'application/json',
      };
      const body = '{"red":1,"green":2,"blue":3}';
      await fetch(`${await service.url}/api/remote/led/color`, { method: 'POST', headers, body });
      await until(() => /^led \{ .*red: 1, green: 2, blue: 3 \}$/m.test(said), 'the event');
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  it('should call in Python, and show the sentence of a refusal', async () => {
    const sample = await sampleIn('python');
    const run = (more: string) => {
      writeFileSync(join(folder, 'call.py'), `${sample}\n${more}\n`);
      return runProgram(folder, 'python3', ['call.py']);
    };
    const done = await run('print(call("/api/remote/gpio/read", {"pin": 2})["level"])');
    assert.deepEqual([done.code, done.output], [0, '1\n']);
    const refused = await run('call("/api/remote/gpio/write", {"pin": 2, "level": 7})');
    assert.match(refused.output, /RuntimeError: .*"level" must be 0 or 1.* \(INVALID_REQUEST\)/);
  });
});

describe('blocks of a guide', () => {
  it('should be read with their notes and answers', () => {
    const guide =
      'Text\n\n<!-- test: with a.b; fails -->\n```sh\na\n```\n\n```json\n{}\n```\n\n```sh\nb\n```\n';
    assert.deepEqual(readShellBlocks(guide), [
      { line: 3, text: 'a\n', answer: '{}\n', service: false, endless: false, fails: true, needs: 'a.b' },
      { line: 12, text: 'b\n', service: false, endless: false, fails: false },
    ]);
  });

  it('should be those between the marks of the guide, at their lines of the page', () => {
    const block = '```sh\na\n```\n';
    const page = `${block}<!-- guide: b -->\n${block}<!-- end of b -->\n${block}`;
    assert.deepEqual(
      readShellBlocks(readGuide(page, 'b')).map(({ line }) => line),
      [5],
    );
    assert.throws(() => readGuide(page, 'c'), /has lost its marks "guide: c"/);
  });

  it('should not take a note that is misspelt', () => {
    assert.throws(() => readShellBlocks('<!-- test: nor run: why -->\n```sh\na\n```\n'), /line 1/);
  });

  it('should differ from an answer that has another value, lacks a field or has one more', () => {
    assert.deepEqual(differences({ a: '…', b: { c: 1 } }, { a: 5, b: { c: 1 } }), []);
    assert.equal(differences({ a: '…' }, {}).length, 1);
    assert.equal(differences({ a: 1 }, { a: 2 }).length, 1);
    assert.equal(differences({}, { a: 2 }).length, 1);
  });
});

async function follow(runner: GuideRunner, block: ShellBlock): Promise<void> {
  if (block.notRun !== undefined || (block.needs !== undefined && !commands.has(block.needs))) return;
  if (block.service) return runner.startService(block.text);
  const { status, output } = await runner.run(block);
  const told = `line ${block.line}: ${block.text}${output}`;
  if (block.endless) {
    // The statuses of curl and of timeout for their limits.
    assert.ok([28, 124].includes(status), told);
    assert.notEqual(output, '', told);
    return;
  }
  assert.equal(status !== 0, block.fails, told);
  if (block.answer === undefined) return;
  // curl's sentence about a refusal comes after the answer.
  const answer = output.split('\n').findLast((line) => line.startsWith('{'));
  assert.deepEqual(differences(JSON.parse(block.answer), JSON.parse(answer ?? '{}')), [], told);
}
