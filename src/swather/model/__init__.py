"""Pure data and rules of the queue; nothing here touches a database, a socket or a clock."""
