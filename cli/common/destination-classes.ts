import {
  DESTINATION_CLASSES,
  isDestinationClass,
  type DestinationClass,
} from '../../core/model/number/destination-class.js';
import { CliError, EXIT } from './failure.js';

export const CLASSES_OPTION = '--destination-classes <classes>';
export const CLASSES_HELP = `what may be called, separated by commas: ${DESTINATION_CLASSES.join(', ')}; or none`;

/** Reads the option's value. @throws CliError */
export function readClasses(text: string): readonly DestinationClass[] {
  if (text === 'none') return [];
  const given = text.split(',').map((part) => part.trim());
  const classes = DESTINATION_CLASSES.filter((known) => given.includes(known));
  if (given.every(isDestinationClass)) return classes;
  throw new CliError(`--destination-classes: must be ${DESTINATION_CLASSES.join(', ')} or none.`, EXIT.usage);
}
