// Generated from the folders that hold a homeAssistant.ts by build/generate/main.ts. Do not edit it.
import { homeAssistant as intercom } from '../../../intercom/homeAssistant.ts';
import { homeAssistant as kiosk } from '../../../kiosk/homeAssistant.ts';
import { homeAssistant as buttons } from '../../../parts/buttons/homeAssistant.ts';
import { homeAssistant as climate } from '../../../parts/climate/homeAssistant.ts';
import { homeAssistant as display } from '../../../parts/display/homeAssistant.ts';
import { homeAssistant as gpio } from '../../../parts/gpio/homeAssistant.ts';
import { homeAssistant as health } from '../../../parts/health/homeAssistant.ts';
import { homeAssistant as idle } from '../../../parts/idle/homeAssistant.ts';
import { homeAssistant as ir } from '../../../parts/ir/homeAssistant.ts';
import { homeAssistant as led } from '../../../parts/led/homeAssistant.ts';
import { homeAssistant as messages } from '../../../parts/messages/homeAssistant.ts';
import { homeAssistant as power } from '../../../parts/power/homeAssistant.ts';
import { homeAssistant as projects } from '../../../parts/projects/homeAssistant.ts';
import { homeAssistant as readers } from '../../../parts/readers/homeAssistant.ts';
import { homeAssistant as sound } from '../../../parts/sound/homeAssistant.ts';
import { homeAssistant as update } from '../../../parts/update/homeAssistant.ts';
import { homeAssistant as video } from '../../../video/homeAssistant.ts';

/** Makes the entities of each part that Home Assistant shows. */
export const entityMakers = {
  intercom,
  kiosk,
  buttons,
  climate,
  display,
  gpio,
  health,
  idle,
  ir,
  led,
  messages,
  power,
  projects,
  readers,
  sound,
  update,
  video,
} as const;
