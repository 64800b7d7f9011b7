import type { IntercomReply, IntercomRequest } from '../../contract/intercomPage.ts';
import type { OwnPageChannel } from '../../contract/ownPage.ts';
import { Connections } from './connections.ts';
import { Speaker } from './speaker.ts';

// The page that nobody sees: it has the microphone, the camera and the speaker of calls, in a process of its own, so that
// calls live on when the project's page reloads or crashes. What it does is told by the service, request by request.
const { faceplateHost } = window as unknown as { faceplateHost: OwnPageChannel };
const speaker = new Speaker();
const tell = (reply: IntercomReply) => faceplateHost.post(JSON.stringify(reply));
const connections = new Connections(speaker, (problem) => tell({ problem }));

async function run(request: IntercomRequest): Promise<string | null> {
  switch (request.do) {
    case 'connect':
      return connections.connect(request);
    case 'close':
      connections.close(request.connection);
      return null;
    case 'play':
      await speaker.play(request.tone);
      return null;
    case 'volume':
      speaker.volume = request.volume;
      return null;
  }
}

faceplateHost.listen(async (json) => {
  const request = JSON.parse(json) as IntercomRequest;
  try {
    tell({ id: request.id, result: await run(request) });
  } catch (error) {
    tell({ id: request.id, error: (error as Error).message });
  }
});
tell({ ready: true });
