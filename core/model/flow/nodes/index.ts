import { authMenu } from './auth-menu.js';
import { branch } from './branch.js';
import { conference } from './conference.js';
import { dial } from './dial.js';
import { gather } from './gather.js';
import { goto } from './goto.js';
import { hangup } from './hangup.js';
import { hours } from './hours.js';
import { http } from './http.js';
import { menu } from './menu.js';
import { play } from './play.js';
import { queue } from './queue.js';
import { record } from './record.js';
import { say } from './say.js';
import { set } from './set.js';
import { split } from './split.js';
import { subflow } from './subflow.js';
import { transfer } from './transfer.js';
import { verify } from './verify.js';
import { voicemail } from './voicemail.js';

/** All node types, in the order of the API reference. Everything else about node types is derived from this list. */
export const NODES = [
  play,
  say,
  menu,
  gather,
  authMenu,
  branch,
  split,
  hours,
  set,
  queue,
  dial,
  voicemail,
  record,
  conference,
  http,
  transfer,
  verify,
  subflow,
  goto,
  hangup,
] as const;
