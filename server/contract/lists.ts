// Generated from the contracts of all parts by build/generate.ts. Do not edit it.
import { settingsCommands } from '../config/contract.ts';
import { intercomCommands } from '../intercom/contract.ts';
import { sipCommands, sipEvents } from '../intercom/sipContract.ts';
import { pageCommands, pageEvents, pageSnapshot } from '../kiosk/contract.ts';
import { liveCommands } from '../kiosk/live/contract.ts';
import { settingsPageCommands } from '../kiosk/settingsPage/contract.ts';
import { tokensCommands } from '../parts/access/contract.ts';
import { appsCommands, appsEvents, appsSnapshot } from '../parts/apps/contract.ts';
import { backupCommands } from '../parts/backup/contract.ts';
import { buttonsEvents } from '../parts/buttons/contract.ts';
import { certificatesCommands } from '../parts/certificates/contract.ts';
import { climateCommands, climateEvents, climateSnapshot } from '../parts/climate/contract.ts';
import { displayCommands, displayEvents, displaySnapshot } from '../parts/display/contract.ts';
import { fleetCommands, fleetEvents } from '../parts/fleet/contract.ts';
import { gpioCommands, gpioEvents, gpioSnapshot } from '../parts/gpio/contract.ts';
import { healthCommands, healthEvents } from '../parts/health/contract.ts';
import { httpRequestCommands } from '../parts/http/contract.ts';
import { journalCommands } from '../parts/journal/contract.ts';
import { ledCommands, ledEvents, ledSnapshot } from '../parts/led/contract.ts';
import { logCommands } from '../parts/log/contract.ts';
import { messageCommands, messageEvents } from '../parts/messages/contract.ts';
import { modbusCommands } from '../parts/modbus/contract.ts';
import { networkCommands } from '../parts/network/contract.ts';
import { powerEvents, powerSnapshot } from '../parts/power/contract.ts';
import { projectsCommands, projectsEvents } from '../parts/projects/contract.ts';
import { readersEvents } from '../parts/readers/contract.ts';
import { serialCommands, serialEvents, serialSnapshot } from '../parts/serial/contract.ts';
import { rtcCommands, rtcEvents, rtcSnapshot } from '../parts/sleep/contract.ts';
import { soundCommands, soundEvents } from '../parts/sound/contract.ts';
import { tcpCommands, tcpEvents } from '../parts/tcp/contract.ts';
import { terminalCommands } from '../parts/terminal/contract.ts';
import { timeCommands } from '../parts/time/contract.ts';
import { udpCommands, udpEvents } from '../parts/udp/contract.ts';
import { updateCommands, updateEvents } from '../parts/update/contract.ts';
import { streamCommands, streamEvents, streamSnapshot } from '../video/contract.ts';
import { systemCommands } from './system.ts';

export const allCommands = {
  ...terminalCommands,
  ...rtcCommands,
  ...displayCommands,
  ...ledCommands,
  ...gpioCommands,
  ...climateCommands,
  ...serialCommands,
  ...udpCommands,
  ...tcpCommands,
  ...httpRequestCommands,
  ...modbusCommands,
  ...appsCommands,
  ...systemCommands,
  ...streamCommands,
  ...sipCommands,
  ...intercomCommands,
  ...projectsCommands,
  ...fleetCommands,
  ...updateCommands,
  ...settingsCommands,
  ...settingsPageCommands,
  ...certificatesCommands,
  ...tokensCommands,
  ...logCommands,
  ...pageCommands,
  ...liveCommands,
  ...messageCommands,
  ...journalCommands,
  ...healthCommands,
  ...backupCommands,
  ...networkCommands,
  ...timeCommands,
  ...soundCommands,
} as const;

export const allEvents = {
  ...ledEvents,
  ...gpioEvents,
  ...climateEvents,
  ...rtcEvents,
  ...powerEvents,
  ...serialEvents,
  ...buttonsEvents,
  ...readersEvents,
  ...appsEvents,
  ...streamEvents,
  ...sipEvents,
  ...pageEvents,
  ...messageEvents,
  ...displayEvents,
  ...healthEvents,
  ...soundEvents,
  ...projectsEvents,
  ...fleetEvents,
  ...updateEvents,
  ...udpEvents,
  ...tcpEvents,
} as const;

export const allStates = {
  ...ledSnapshot,
  ...gpioSnapshot,
  ...climateSnapshot,
  ...rtcSnapshot,
  ...powerSnapshot,
  ...serialSnapshot,
  ...appsSnapshot,
  ...streamSnapshot,
  ...displaySnapshot,
  ...pageSnapshot,
} as const;
