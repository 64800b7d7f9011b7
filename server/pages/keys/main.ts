import type { BuiltInPageChannel } from '../../kiosk/builtInPageContract.ts';
import type { ShownKeys } from '../../kiosk/keyboard/contract.ts';
import { Board } from './board.ts';

const { faceplateHost } = window as unknown as { faceplateHost: BuiltInPageChannel };
const board = new Board(document.querySelector('.keys')!, (what) => faceplateHost.post(JSON.stringify(what)));
faceplateHost.listen((json) => board.show(JSON.parse(json) as ShownKeys));
