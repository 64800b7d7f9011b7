import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { runProgram } from '../../server/testing/python.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { until } from '../../server/testing/waiting.ts';
import { Panel } from '../index.ts';
import { CliProcess } from '../testing/cliProcess.ts';

/** What npm prints when it cannot reach the packages. */
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|network/i;

describe('projects of faceplate create', () => {
  const service = new FaceplateProcess({ kiosk: true });
  const folder = temporaryFolder('templates');
  let env: NodeJS.ProcessEnv;
  let panel: Panel;
  before(async () => {
    await service.start();
    const [url, token] = [await service.url, await service.token()];
    panel = new Panel(url, { token });
    const clean = Object.entries(process.env).filter(
      ([name]) => !/^(?:FACEPLATE_|NODE_TEST|npm_)/.test(name),
    );
    const own = { FACEPLATE_PANEL: url, FACEPLATE_TOKEN: token, XDG_CONFIG_HOME: folder };
    env = { ...Object.fromEntries(clean), ...own };
  });
  after(async () => {
    await service.stop();
  });

  const inPage = async (expression: string) =>
    (await panel.call('page.evaluate', { expression }).catch(() => ({ value: undefined }))).value;

  /** Makes a project and installs its packages. @returns undefined where they cannot be reached */
  async function made(template: string, context: TestContext): Promise<string | undefined> {
    const project = join(folder, `My ${template}`);
    const created = await new CliProcess(['create', project, '--template', template]).ended();
    assert.equal(created.code, 0, created.stderr);
    const installed = await runProgram(project, 'npm', ['install', '--no-audit', '--no-fund'], env);
    if (installed.code === 0) return project;
    assert.match(installed.output, NO_NETWORK);
    context.skip('the npm packages cannot be reached');
    return undefined;
  }

  for (const [template, source] of [
    ['vite', 'src/main.ts'],
    ['react', 'src/App.tsx'],
  ] as const)
    it(`should build the template ${template}, show it at each save, and check its types`, async (context) => {
      const project = await made(template, context);
      if (project === undefined) return;
      const built = await runProgram(project, 'npm', ['run', 'build'], env);
      assert.equal(built.code, 0, built.output);
      assert.ok(readdirSync(join(project, 'dist')).includes('index.html'));

      await panel.call('gpio.write', { pin: 2, level: 0 });
      const dev = spawn('npm', ['run', 'dev'], {
        cwd: project,
        // Where CI is set, Vite writes in colours, into a pipe too.
        env: { ...env, NO_COLOR: '1', FORCE_COLOR: '' },
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [dev.stdout, dev.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          said += text;
        });
      try {
        await until(() => new RegExp(`^my-${template} shown: \\d+ files`, 'm').test(said), 'the first push', {
          limitMs: 60_000,
        });
        assert.match(said, /Local: +http:\/\/localhost:\d+/);
        // The button stands in the HTML before the script listens to it: wait for the end of the load.
        const ready =
          'document.title === "My panel" && document.readyState === "complete" && !document.querySelector("button").disabled';
        await until(async () => (await inPage(ready)) === true, 'the page');
        await inPage('document.querySelector("button").click()');
        await until(
          async () =>
            (await inPage('document.querySelector("[aria-pressed=true]")?.innerText')) === 'Relay 1',
          'the relay',
        );
        const { level } = await panel.call('gpio.read', { pin: 2 });
        assert.equal(level, 1);
        appendFileSync(join(project, source), "\ndocument.title = 'saved';\n");
        await until(async () => (await inPage('document.title')) === 'saved', 'the save', {
          limitMs: 30_000,
        });
        assert.equal(
          (await panel.call('projects.list')).projects.find(({ active }) => active)?.id,
          `my-${template}`,
        );
      } catch (error) {
        throw new Error(said, { cause: error });
      } finally {
        process.kill(-dev.pid!, 'SIGINT');
        await once(dev, 'exit');
      }

      // A misspelt command does not compile.
      const path = join(project, source);
      writeFileSync(path, readFileSync(path, 'utf8').replace("'gpio.write'", "'gpio.wrte'"));
      const checked = await runProgram(project, 'npx', ['tsc'], env);
      assert.notEqual(checked.code, 0);
      assert.match(checked.output, /gpio\.wrte/);
    });
});
