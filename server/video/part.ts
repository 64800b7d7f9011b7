import type { CertificatesService } from '../parts/certificates/service.ts';
import type { IdleService } from '../parts/idle/service.ts';
import { type Core, definePart } from '../parts/part.ts';
import type { SoundService } from '../parts/sound/service.ts';
import { systemWallClock } from '../platform/clock.ts';
import { nativeMedia } from '../platform/native/nativeMedia.ts';
import { portableDriver } from '../webrtc/driver.ts';
import { streamCommands } from './contract.ts';
import { namedCameras } from './named/settingsContract.ts';
import { CameraEvents } from './onvif/events.ts';
import { onvifCommands } from './onvif/onvifContract.ts';
import { namedCameraUrl } from './rtsp/cameraUrl.ts';
import { CameraHabits } from './rtsp/habits.ts';
import { StreamService } from './service.ts';
import { SimulatedCamera } from './simulatedCamera/simulatedCamera.ts';
import { SnapshotService } from './snapshot/service.ts';
import { snapshotCommands } from './snapshot/snapshotContract.ts';
import { VisitorSheet } from './talk/visitorSheet.ts';

/** The system calls that send many packets at once, for cameras and for calls. */
export const media = definePart('media', ({ log }) => ({ driver: nativeMedia(portableDriver, log) }));

/** How long the bell may wait for the loudspeaker, in milliseconds. */
const RING_MS = 5_000;

interface Needs {
  readonly certificates: CertificatesService;
  readonly media: { readonly driver: ReturnType<typeof nativeMedia> };
}

/** Cameras for viewers. */
export const stream = definePart(
  'stream',
  ({ media, certificates, settings, http, events, glass, log }: Core & Needs) =>
    new StreamService({
      bus: events,
      log,
      driver: media.driver,
      lingerSeconds: () => settings()['streams.lingerSeconds'],
      access: {
        ownPort: () => http.port,
        certificates,
        logins: () => settings()['streams.logins'],
        cameras: () => namedCameras(settings()['streams.cameras']),
        udpHosts: () => settings()['streams.udpHosts'],
        oldTlsHosts: () => settings()['streams.oldTlsHosts'],
        habits: new CameraHabits(),
      },
      talk: {
        fromAfar: () => settings()['streams.talkFromAfar'],
        onMicrophone: (isOpen) => {
          glass.set('microphone', isOpen ? { isOpen } : null).catch((error: unknown) => {
            log.info({ err: error }, 'video: could not show that the microphone is open');
          });
        },
      },
    }),
)
  .answering({ ...streamCommands, ...onvifCommands }, (service) => ({
    'stream.cameras.named': () => service.namedCameras(),
    'stream.search': (params, context) => service.onvifCommands.search(params, context),
    'stream.profiles': (params, context) => service.onvifCommands.profiles(params, context),
    'stream.ptz': (params, context) => service.onvifCommands.ptz(params, context),
  }))
  .reporting({ snapshot: (service) => ({ streams: service.sessions().sessions }) })
  .showing((service) => ({
    cameras: service
      .namedCameras()
      .cameras.filter(({ events }) => events.length > 0)
      .map(({ name, events }) => ({ name, events })),
  }));

/** What cameras report. */
export const cameraEvents = definePart(
  'cameraEvents',
  ({ stream, settings, store, events, clock, log }: Core & { readonly stream: StreamService }) => {
    const service = new CameraEvents({
      cameras: () => namedCameras(settings()['streams.cameras']),
      urlOf: (camera) => namedCameraUrl(camera, settings()['streams.logins']),
      onvif: stream.onvif,
      emit: (event) => events.emit('camera', event),
      clock,
      log,
    });
    store.onLive((changed) => {
      if (changed.some((key) => key === 'streams.cameras' || key === 'streams.logins')) service.follow();
    });
    return service;
  },
);

/** Pictures of cameras without a player. The page of the glass decodes them. */
export const snapshots = definePart(
  'snapshots',
  ({ stream, glass }: Core & { readonly stream: StreamService }) =>
    new SnapshotService({
      ...stream.shared,
      decode: (picture, signal) => glass.decode(picture, signal),
      clock: systemWallClock,
    }),
).answering(snapshotCommands);

interface SheetNeeds {
  readonly stream: StreamService;
  readonly sound: SoundService;
  readonly idle: IdleService;
}

/** Who rings at a named camera, above every page. */
export const visitorSheet = definePart(
  'visitorSheet',
  ({ stream, sound, idle, glass, events, clock, log }: Core & SheetNeeds) =>
    new VisitorSheet({
      stream,
      screen: {
        show: (visitor) => glass.set('visitor', visitor),
        onEvent: (listener) => glass.onEvent(listener),
      },
      ring: () => sound.play({ name: 'bell' }, { signal: AbortSignal.timeout(RING_MS) }),
      wake: () => idle.activity(),
      events,
      clock,
      log,
    }),
);

/** The built-in camera of the simulated board. */
export const camera = definePart('camera', ({ board }) =>
  board.name === 'simulated' ? new SimulatedCamera() : { url: null },
).reporting({ snapshot: ({ url }) => ({ camera: url }) });
