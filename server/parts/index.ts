import { callSheet, intercomPage, sip } from '../intercom/part.ts';
import { liveScreen, page, settingsPage } from '../kiosk/part.ts';
import { camera, cameraEvents, media, snapshots, stream, visitorSheet } from '../video/part.ts';
import { access } from './access/part.ts';
import { approval } from './approval/part.ts';
import { apps } from './apps/part.ts';
import { backup, reset } from './backup/part.ts';
import { simulation } from './boards/part.ts';
import { buttons } from './buttons/part.ts';
import { certificates } from './certificates/part.ts';
import { climate } from './climate/part.ts';
import { display } from './display/part.ts';
import { fleet } from './fleet/part.ts';
import { gpio } from './gpio/part.ts';
import { health } from './health/part.ts';
import { httpRequest } from './http/part.ts';
import { https } from './https/part.ts';
import { idle } from './idle/part.ts';
import { ir, itach } from './ir/part.ts';
import { joins } from './joins/part.ts';
import { journal } from './journal/part.ts';
import { led } from './led/part.ts';
import { logFeed } from './log/part.ts';
import { message, undoneNote } from './messages/part.ts';
import { metrics } from './metrics/part.ts';
import { modbus } from './modbus/part.ts';
import { network } from './network/part.ts';
import { noParts } from './part.ts';
import { power } from './power/part.ts';
import { projectFetch } from './projectFetch/part.ts';
import { projects } from './projects/part.ts';
import { provisioning } from './provisioning/part.ts';
import { proximity } from './proximity/part.ts';
import { readers } from './readers/part.ts';
import { restart } from './restart/part.ts';
import { serial } from './serial/part.ts';
import { rtc } from './sleep/part.ts';
import { sound } from './sound/part.ts';
import { tcp } from './tcp/part.ts';
import { terminal } from './terminal/part.ts';
import { time } from './time/part.ts';
import { udp } from './udp/part.ts';
import { sticks, update } from './update/part.ts';

/** The parts of the panel, in the order of their start. A part that needs another one comes after it. */
export const parts = noParts
  .with(journal)
  .with(gpio)
  .with(terminal)
  .with(led)
  .with(climate)
  .with(serial)
  .with(udp)
  .with(modbus)
  .with(power)
  .with(display)
  .with(idle)
  .with(rtc)
  .with(buttons)
  .with(readers)
  .with(ir)
  .with(itach)
  .with(proximity)
  .with(apps)
  .with(network)
  .with(time)
  .with(simulation)
  .with(certificates)
  .with(tcp)
  .with(httpRequest)
  .with(media)
  .with(stream)
  .with(snapshots)
  .with(cameraEvents)
  .with(camera)
  .with(intercomPage)
  .with(sip)
  .with(joins)
  .with(projects)
  .with(projectFetch)
  .with(sound)
  .with(access)
  .with(approval)
  .with(https)
  .with(settingsPage)
  .with(callSheet)
  .with(visitorSheet)
  .with(page)
  .with(liveScreen)
  .with(message)
  .with(undoneNote)
  .with(update)
  .with(sticks)
  .with(fleet)
  .with(provisioning)
  .with(backup)
  .with(reset)
  .with(restart)
  .with(logFeed)
  .with(health)
  .with(metrics);

/** The started parts, with what they answer and report. */
export type StartedPanel = Awaited<ReturnType<typeof parts.start>>;
/** Their services, by name. */
export type Parts = StartedPanel['services'];
/** The commands that they answer. */
export type PartCommandName = keyof ReturnType<StartedPanel['answers']>;
