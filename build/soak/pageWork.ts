import { setTimeout as sleep } from 'node:timers/promises';
import type { Work } from './doWork.ts';
import type { SoakedPanel } from './soakedPanel.ts';

/**
 * A page of a slow panel may take this long to be shown, and a camera to show its first picture there, in milliseconds. A soak
 * looks for growth: how fast a picture comes on an idle machine is a matter of the benches.
 */
const SHOWN_MS = 90_000;
const PICTURE_MS = 60_000;
const LOOK_MS = 500;
const STREAMS_A_PAGE = 3;
/** Pause between two cameras of a page, in milliseconds. */
const NEXT_VIEW_MS = 4_000;
/** A view of a camera ends this long after its first picture, in seconds. */
const VIEW_S = 8;

/** A load of the page, and cameras in it, one after the other: some end by themselves, some with the next load. */
export function pageWork({ panel, cameras, comingCamera }: SoakedPanel): Work {
  const streams = cameras.length > 0 ? STREAMS_A_PAGE : 0;
  const load = {
    name: 'page loads',
    isNeeded: true,
    do: (turn: number) => reload(panel, String(turn)),
  };
  const views = Array.from({ length: streams }, (_, n) => ({
    name: 'views of cameras',
    do: async (turn: number) => {
      await view(panel, `soak-${n}`, cameras[(turn + n) % cameras.length]!);
      await sleep(NEXT_VIEW_MS);
    },
  }));
  const field = comingCamera && {
    name: 'views of cameras of the field that go meanwhile',
    do: async (turn: number) => {
      const { name, url, isPlain, go } = await comingCamera(turn);
      try {
        await view(panel, 'soak-field', url, isPlain ? PICTURE_MS : NEXT_VIEW_MS);
      } catch (error) {
        if (isPlain) throw new Error(`${name}: ${(error as Error).message}`);
      } finally {
        await go();
      }
    },
  };
  return { pauseMs: streams > 0 ? 5_000 : 30_000, steps: [load, ...views, ...(field ? [field] : [])] };
}

type Panel = SoakedPanel['panel'];

async function evaluate(panel: Panel, expression: string): Promise<unknown> {
  return (await panel.call('page.evaluate', { expression })).value;
}

/** Loads the page anew and waits until it is there. @param mark of the page before, which may still be shown when the panel has taken the command */
export async function reload(panel: Panel, mark: string): Promise<void> {
  await evaluate(panel, `document.documentElement.dataset.soaked = '${mark}'`);
  await panel.call('kiosk.reload');
  await isShown(panel);
}

async function isShown(panel: Panel): Promise<void> {
  const end = performance.now() + SHOWN_MS;
  for (;;) {
    await sleep(LOOK_MS);
    const { state } = await panel.call('page.state');
    // Between two pages nothing can be evaluated.
    const isNew = evaluate(
      panel,
      `document.body !== null && !('soaked' in document.documentElement.dataset)`,
    );
    if (state === 'shown' && (await isNew.catch(() => false)) === true) return;
    if (performance.now() > end) throw new Error(`The page was not shown within ${SHOWN_MS} ms: ${state}.`);
  }
}

/** Begins to watch a camera in the page. @throws Error when no picture comes in time */
async function view(panel: Panel, id: string, url: string, limitMs = PICTURE_MS): Promise<void> {
  const end = performance.now() + limitMs;
  const refused = await evaluate(panel, viewing(id, url));
  if (refused !== null) throw new Error(`The camera was refused: ${JSON.stringify(refused)}.`);
  const seen = `Number(document.querySelector('[data-view="${id}"]')?.dataset.pictures ?? 0)`;
  while (!((await evaluate(panel, seen)) as number)) {
    if (performance.now() > end)
      throw new Error(`The page shows no picture of a camera within ${limitMs} ms.`);
    await sleep(LOOK_MS);
  }
}

/** JavaScript of the page: watches a camera by WHEP for a while. Each evaluation has a world of its own, so the element tells the rest. */
function viewing(id: string, url: string): string {
  return `(async () => {
    const connection = new RTCPeerConnection({ iceServers: [] });
    connection.addTransceiver('video', { direction: 'recvonly' });
    connection.addTransceiver('audio', { direction: 'recvonly' });
    const video = document.createElement('video');
    video.muted = true;
    video.dataset.view = '${id}';
    video.srcObject = new MediaStream(connection.getReceivers().map(({ track }) => track));
    document.body.append(video);
    video.play().catch(() => {});
    const end = () => {
      connection.close();
      video.remove();
    };
    await connection.setLocalDescription();
    const answer = await fetch('/api/stream/whep/${id}', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: ${JSON.stringify(url)}, sdp: connection.localDescription.sdp }),
    });
    const body = await answer.json();
    if (!answer.ok) {
      end();
      return body;
    }
    await connection.setRemoteDescription({ type: 'answer', sdp: body.sdp });
    const look = setInterval(async () => {
      for (const entry of (await connection.getStats()).values())
        if (entry.type === 'inbound-rtp' && entry.kind === 'video' && entry.framesDecoded > 0)
          video.dataset.pictures = entry.framesDecoded;
      if (!video.dataset.pictures) return;
      clearInterval(look);
      setTimeout(() => {
        end();
        fetch('/api/stream/whep/${id}', { method: 'DELETE' });
      }, ${VIEW_S * 1000});
    }, ${LOOK_MS});
    return null;
  })()`;
}
