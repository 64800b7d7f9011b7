import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { until } from '../../server/kiosk/testing/testKiosk.ts';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { letPass } from '../../server/testing/waiting.ts';
import { type Kiosk, shareKiosk } from './bareBrowser.ts';

interface PageState {
  readonly url: string;
  readonly state: string;
  readonly errors: number;
}

/** Stays connected to the site, so that the next page can be shown. */
const pageOf = (html: string) =>
  `<!doctype html><meta charset="utf-8"><script src="/own.js"></script>${html}`;
const PAGES: Readonly<Record<string, string>> = {
  '/good': pageOf('<h1>good</h1>'),
  '/missing': pageOf('<h1>never more</h1><script src="/missing.js"></script>'),
  '/throws': pageOf(`<script>\nthrow new Error('boom');</script>`),
  '/flood': pageOf(`<h1>flood</h1><script>
for (let i = 1; i <= 5000; i++) console.log('flooding', i);
for (let i = 1; i <= 20; i++) setTimeout(() => { throw new Error('amid ' + i + '.'); });
setTimeout(() => { for (let i = 1; i <= 5000; i++) console.warn('flooding', i); }, 100);
setTimeout(() => console.info('the flood is over'), 3000);
</script>`),
  '/empty': pageOf('<body style="background: #123">'),
};

describe('the state of a page without a debugger, over HTTP', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  shareKiosk((opened) => {
    kiosk = opened;
    kiosk.site.otherFiles = (path) =>
      path === '/own.js' ? { body: kiosk.site.ownScript, type: 'text/javascript' } : undefined;
    for (const [path, body] of Object.entries(PAGES)) kiosk.site.files.set(path, { body });
  });

  const get = async (path: string, signal?: AbortSignal) =>
    fetch(`${await kiosk.service.url}${path}`, {
      headers: { authorization: `Bearer ${await kiosk.service.token()}` },
      ...(signal && { signal }),
    });
  const show = async (path: string): Promise<void> => {
    void kiosk.site.visit(path, 60_000).catch(() => {});
    await until(() => kiosk.site.requests.includes(`bare.localhost${path}`), path);
  };
  const becomes = async (path: string, state: string): Promise<PageState> => {
    let now: PageState | undefined;
    await until(async () => {
      now = (await (await get('/api/remote/page')).json()) as PageState;
      return now.url === `${kiosk.site.origin()}${path}` && now.state === state;
    }, `${path} ${state}`);
    return now!;
  };

  /** The text of an event stream until it matches. */
  const stream = async (path: string, found: RegExp): Promise<string> => {
    const ended = new AbortController();
    const answer = await get(path, ended.signal);
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    let text = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (found.test(text)) break;
    }
    ended.abort();
    return text;
  };

  test('should be shown for a good page', async () => {
    await show('/good');
    assert.equal((await becomes('/good', 'shown')).errors, 0);
  });

  test('should be failed for a page whose script is missing, or which throws', async () => {
    await show('/missing');
    assert.equal((await becomes('/missing', 'failed')).errors, 1);
    await show('/throws');
    assert.equal((await becomes('/throws', 'failed')).errors, 1);
  });

  test('should be blank for an empty page', async () => {
    await show('/empty');
    await becomes('/empty', 'blank');
  });

  test('should tell the exception in the console and in the log, with line and column', async () => {
    const console = await stream('/api/manage/console', /boom.*\n/);
    assert.match(
      console,
      /event: console\ndata: \{"time":"[^"]+","level":"exception","text":"Uncaught Error: boom"/,
    );
    assert.match(console, /"line":2,"column":7,"stack":"Error: boom\\n/);
    const log = await stream('/api/manage/log?level=warn', /uncaught exception in the page"\}\n/);
    assert.match(log, /event: log\ndata: \{"level":"warn","time":"[^"]+",.*boom/);
    assert.doesNotMatch(log, /"level":"(info|debug)"/);
  });

  test('should tell the first 100 entries of a second, each exception, and how many entries were left out', async () => {
    await show('/flood');
    const text = await stream('/api/manage/console', /the flood is over/);
    const entries = [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!));
    const lines = entries.filter((entry) => entry.text.startsWith('flooding'));
    assert.deepEqual(
      lines.slice(0, 100).map((entry) => [entry.text, entry.level, entry.line, entry.column]),
      Array.from({ length: 100 }, (_, at) => [`flooding ${at + 1}`, 'log', 2, 41]),
    );
    const thrown = entries.filter((entry) => entry.level === 'exception' && / amid \d+\./.test(entry.text));
    assert.equal(thrown.length, 20);
    // A busy machine writes for more than a second, and each has its first 100.
    const left = entries.map((entry) => Number(/^(\d+) more entries /.exec(entry.text)?.[1] ?? 0));
    const all = left.reduce((sum, each) => sum + each, lines.length);
    assert.equal(all, 10_000);
  });

  test('security: should stay answerable and small while a page writes 100,000 entries, or as many as it can in 10 s', async () => {
    const { site, service } = kiosk;
    const residentMiB = () => {
      const [, pages] = readFileSync(`/proc/${service.pid}/statm`, 'utf8').split(' ');
      return (Number(pages) * 4_096) / 1024 ** 2;
    };
    const before = residentMiB();
    let isWriting = true;
    // In slices: one that took seconds would count as a script that never ends.
    const flood = `<h1>flood</h1><script>bare.report(async () => {
      const end = performance.now() + 10000;
      for (let i = 0; i < 100000 && performance.now() < end; i++) {
        console.log('line', i, { i });
        if (i % 500 === 0) await new Promise((resolve) => setTimeout(resolve));
      }
    })</script>`;
    const written = site.show(flood).finally(() => {
      isWriting = false;
    });
    const tookMs: number[] = [];
    let most = before;
    while (isWriting) {
      const began = performance.now();
      assert.equal((await get('/api/remote/page')).status, 200);
      tookMs.push(performance.now() - began);
      most = Math.max(most, residentMiB());
      await letPass(20);
    }
    await written;
    assert.ok(tookMs.length > 3, String(tookMs));
    const median = tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length / 2)]!;
    assert.ok(median < 250, `answers took ${median} ms`);
    assert.ok(most - before < 150, `${before} MiB became ${most} MiB`);
  });
});
