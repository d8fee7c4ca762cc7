"""What passes between the two processes: messages, memory, descriptors."""
