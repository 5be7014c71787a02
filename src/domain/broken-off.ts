/**
 * Ends the message of each error with which a response is broken off because somebody asked for it. The runtime reports
 * such an error, and the command of the package does not print the report.
 */
export const AS_ASKED_FOR = 'as was asked for'
