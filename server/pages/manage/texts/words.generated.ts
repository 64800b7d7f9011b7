// Generated from words.ts of all folders by build/generate/main.ts. Do not edit it.
import { intercomWords } from '../../../intercom/words.ts';
import { kioskWords } from '../../../kiosk/words.ts';
import { accessWords } from '../../../parts/access/words.ts';
import { appsWords } from '../../../parts/apps/words.ts';
import { backupWords } from '../../../parts/backup/words.ts';
import { buttonsWords } from '../../../parts/buttons/words.ts';
import { certificatesWords } from '../../../parts/certificates/words.ts';
import { climateWords } from '../../../parts/climate/words.ts';
import { displayWords } from '../../../parts/display/words.ts';
import { fleetWords } from '../../../parts/fleet/words.ts';
import { gpioWords } from '../../../parts/gpio/words.ts';
import { irWords } from '../../../parts/ir/words.ts';
import { journalWords } from '../../../parts/journal/words.ts';
import { ledWords } from '../../../parts/led/words.ts';
import { logWords } from '../../../parts/log/words.ts';
import { messagesWords } from '../../../parts/messages/words.ts';
import { networkWords } from '../../../parts/network/words.ts';
import { powerWords } from '../../../parts/power/words.ts';
import { projectsWords } from '../../../parts/projects/words.ts';
import { proximityWords } from '../../../parts/proximity/words.ts';
import { readersWords } from '../../../parts/readers/words.ts';
import { serialWords } from '../../../parts/serial/words.ts';
import { sleepWords } from '../../../parts/sleep/words.ts';
import { soundWords } from '../../../parts/sound/words.ts';
import { terminalWords } from '../../../parts/terminal/words.ts';
import { timeWords } from '../../../parts/time/words.ts';
import { udpWords } from '../../../parts/udp/words.ts';
import { updateWords } from '../../../parts/update/words.ts';
import { videoWords } from '../../../video/words.ts';
import { fieldsWords } from '../fields/words.ts';
import { setupWords } from '../setup/words.ts';
import { viewsWords } from '../views/words.ts';
import { shellWords } from './words.ts';

/** What the app says: English, German, Spanish. */
export const words = {
  ...intercomWords,
  ...kioskWords,
  ...fieldsWords,
  ...setupWords,
  ...shellWords,
  ...viewsWords,
  ...accessWords,
  ...appsWords,
  ...backupWords,
  ...buttonsWords,
  ...certificatesWords,
  ...climateWords,
  ...displayWords,
  ...fleetWords,
  ...gpioWords,
  ...irWords,
  ...journalWords,
  ...ledWords,
  ...logWords,
  ...messagesWords,
  ...networkWords,
  ...powerWords,
  ...projectsWords,
  ...proximityWords,
  ...readersWords,
  ...serialWords,
  ...sleepWords,
  ...soundWords,
  ...terminalWords,
  ...timeWords,
  ...udpWords,
  ...updateWords,
  ...videoWords,
};
