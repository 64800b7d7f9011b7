import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { ScriptedCamera, ScriptedVideo, usualReply } from '../../testing/scriptedCamera.ts';
import { StreamService } from '../../video/service.ts';
import { openAccess } from '../../video/testing/openAccess.ts';
import { WeriftViewer } from '../../video/testing/weriftViewer.ts';
import type { SipService } from '../calls/service.ts';
import type { Owner } from './panel.ts';

/** The RTSP camera beside a door, the panel's stream service, and a kiosk page that watches calls. */
export class DoorCamera {
  /** To pass to the panel. */
  readonly stream: StreamService;
  readonly #camera: ScriptedCamera;
  readonly #owner: Owner;

  private constructor(owner: Owner, camera: ScriptedCamera, stream: StreamService) {
    this.#owner = owner;
    this.#camera = camera;
    this.stream = stream;
  }

  /** Ends with the test. */
  static async start(owner: Owner): Promise<DoorCamera> {
    const camera = new ScriptedCamera(usualReply);
    const video = new ScriptedVideo(camera);
    const log = silentLogger();
    const stream = new StreamService({
      log,
      bus: new EventBus(log),
      lingerSeconds: () => 0,
      access: openAccess,
    });
    owner.after(async () => {
      await stream.stop();
      video.stop();
      await camera.stop();
    });
    await camera.start();
    await stream.start();
    video.start();
    return new DoorCamera(owner, camera, stream);
  }

  get url(): string {
    return this.#camera.url();
  }

  /** Ids of its viewers. */
  get watchers(): string[] {
    return this.stream.sessions().sessions.map(({ id }) => id);
  }

  /** Asks a panel for the remote party's picture, as the page does. @throws FaceplateError NOT_FOUND */
  async watchCall(sip: SipService): Promise<WeriftViewer> {
    const viewer = new WeriftViewer();
    this.#owner.after(() => viewer.close());
    await viewer.accept((await sip.showVideo({ target: 'remote', sdp: await viewer.offer() })).sdp);
    return viewer;
  }
}
