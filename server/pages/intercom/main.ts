import type { IntercomReply, IntercomRequest } from '../../intercom/pageContract.ts';
import type { BuiltInPageChannel } from '../../kiosk/builtInPageContract.ts';
import { Connections } from './connections.ts';
import { Speaker } from './speaker.ts';

// The hidden page that owns the microphone, the camera and the speaker of calls. It has its own process, so that calls
// continue when the project's page reloads or crashes. The service controls it, request by request.
const { faceplateHost } = window as unknown as { faceplateHost: BuiltInPageChannel };
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
